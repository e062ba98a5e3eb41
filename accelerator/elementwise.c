// One pass over arrays of `count` floats each.
#include "vector.h"

EXPORT(add)(const float *restrict x, const float *restrict z, float *restrict y, int count) {
  IN_VECTORS for (int i = 0; i < count; i++) y[i] = x[i] + z[i];
}

EXPORT(clip)(const float *restrict x, float *restrict y, int count, float lo, float hi) {
  IN_VECTORS for (int i = 0; i < count; i++) {
    const float raised = x[i] < lo ? lo : x[i];
    y[i] = hi < raised ? hi : raised;
  }
}

// dX = dY where X > 0, else 0.
EXPORT(relu_gradient)(const float *restrict dy, const float *restrict x, float *restrict dx, int count) {
  IN_VECTORS for (int i = 0; i < count; i++) {
    const float d = dy[i];  // read in any case: a read on condition is not made with vectors
    dx[i] = x[i] > 0 ? d : 0;
  }
}

// dX = dY where lo <= X <= hi, else 0.
EXPORT(clip_gradient)(const float *restrict dy, const float *restrict x, float *restrict dx, int count, float lo, float hi) {
  IN_VECTORS for (int i = 0; i < count; i++) {
    const float d = dy[i];
    dx[i] = ((x[i] >= lo) & (x[i] <= hi)) ? d : 0;
  }
}
