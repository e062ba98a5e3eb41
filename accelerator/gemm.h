// What gemm.c makes, for the files that are built on it.
#pragma once
#include "vector.h"

// Y = clamp(A B + bias + Z, lo, hi) with A[i, k] = a[i row_step + k k_step], B as panels, Y and Z (M, N). bias, z: may be null; z may be y.
typedef struct {
  const float *a, *panels, *bias, *z;
  float *y;
  int row_step, k_step, M, K, N;
  float lo, hi;
} Product;

// Panels of B (K, N).
void pack(const float *b, float *panels, int K, int N);
void multiply(const Product *p);

// zeros.c: whether so much of A is 0 that it pays to leave that out, and multiply doing so. 0 times infinity or NaN then counts as 0.
int has_many_zeros(const Product *p);
void multiply_others(const Product *p);
