// Pixels and filters in the order and type in which the others read them.
#include "vector.h"

// y[n, c, r] = x[n, r, c]: channels first or last, taps before channels.
EXPORT(transpose)(const float *x, float *y, int batch, int rows, int columns) {
  for (int n = 0; n < batch; n++, x += rows * columns)
    for (int c = 0; c < columns; c++)
      for (int r = 0; r < rows; r++) *y++ = x[r * columns + c];
}

// y = (x - mean) / std for 8-bit pixels (count, channels).
EXPORT(normalize)(const unsigned char *x, const float *mean, const float *std, float *y, int count, int channels) {
  for (int p = 0; p < count; p++)
    for (int c = 0; c < channels; c++) *y++ = (*x++ - mean[c]) / std[c];
}

// float16 -> float32, every value exactly.
EXPORT(widen_half)(const unsigned short *restrict x, float *restrict y, int count) {
  IN_VECTORS for (int i = 0; i < count; i++) {
    const unsigned sign = (unsigned)(x[i] & 0x8000) << 16, rest = (unsigned)(x[i] & 0x7fff) << 13;  // exponent and mantissa where float32 has them
    union { unsigned bits; float value; } one = {rest};
    if (rest >= 0x7c00u << 13) one.bits = rest | 0x7f800000;  // infinity, NaN
    else one.value *= 0x1p112f;                                // the exponents' offsets are 15 and 127; makes subnormals normal, too
    one.bits |= sign;
    y[i] = one.value;
  }
}
