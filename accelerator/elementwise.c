// One pass over arrays of `count` floats each. Plain loops: the compiler writes them with vectors.
#include "vector.h"

EXPORT(add)(const float *x, const float *z, float *y, int count) {
  for (int i = 0; i < count; i++) y[i] = x[i] + z[i];
}

EXPORT(clip)(const float *x, float *y, int count, float lo, float hi) {
  for (int i = 0; i < count; i++) {
    const float raised = x[i] < lo ? lo : x[i];
    y[i] = hi < raised ? hi : raised;
  }
}

// dX = dY where X > 0, else 0.
EXPORT(relu_gradient)(const float *dy, const float *x, float *dx, int count) {
  for (int i = 0; i < count; i++) dx[i] = x[i] > 0 ? dy[i] : 0;
}
