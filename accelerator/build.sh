#!/bin/sh
# Makes simd.wasm and relaxed.wasm: side modules that ctypes.CDLL loads in Pyodide and any WebAssembly.instantiate elsewhere. They import a
# memory and where to stand in it, nothing else: no libc, no emscripten. Debian packages clang-19 and lld-19. Usage: build.sh [target folder]
# Built by: Debian clang version 19.1.7 (3~deb12u1)
set -eu
cd "$(dirname "$0")"
into=${1:-../pyodide_pkg/pagetrain_accelerator}
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
for variant in simd relaxed; do
  flags="--target=wasm32 -std=c17 -ffreestanding -fno-builtin -ffp-contract=off -fPIC -fvisibility=hidden -msimd128 -Wall -Wextra -Werror"
  [ $variant = simd ] || flags="$flags -mrelaxed-simd"
  for source in *.c; do
    grep -q IN_VECTORS "$source" && level=-O2 || level=-Os  # for size, plain loops are not written with vectors
    clang-19 $flags $level -c "$source" -o "$objects/${source%.c}.o"
  done
  wasm-ld-19 -shared --experimental-pic --no-entry --strip-all "$objects"/*.o -o "$into/$variant.wasm"
done
