// The update of one tensor by AdamW, in the order in which numpy's kernel does it: same bits.
#include "vector.h"

// m, v: decaying averages of g and g g; w -= pace m / (sqrt(v) + floor), with the share `decay` of w taken before or after.
EXPORT(adamw)(float *restrict w, const float *restrict g, float *restrict m, float *restrict v, int count, float keep_m, float take_m, float keep_v, float take_v, float pace, float floor, float decay, int decay_first) {
  IN_VECTORS for (int i = 0; i < count; i++) {
    const float average = m[i] * keep_m + g[i] * take_m, square = v[i] * keep_v + g[i] * g[i] * take_v;
    const float step = average / (__builtin_sqrtf(square) + floor) * pace;
    const float before = decay_first ? w[i] - w[i] * decay : w[i], after = before - step;
    m[i] = average;
    v[i] = square;
    w[i] = decay_first ? after : after - after * decay;
  }
}
