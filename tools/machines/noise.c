/* A C library's mathematics that is off by at most one unit in the last place.

   Preloaded, it answers every call of exp, log, sin, ... with the value of the real library moved by -1, 0 or +1 ulp;
   which of the three is a hash of function, argument and seed (THEORYTOOLS_NOISE), so a run can be repeated.  A value
   that the result's type represents exactly, such as exp(0) or pow(2, 10), stays: every library gets it right.  sqrt and
   fma are correctly rounded by IEEE 754 and are left alone.

   cc -O2 -fPIC -shared -fno-builtin -o noise.so noise.c -ldl -lm */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed(void) {
    static uint64_t value;
    static int known;
    if (!known) {
        const char *text = getenv("THEORYTOOLS_NOISE");
        value = text ? strtoull(text, 0, 10) : 1;
        known = 1;
    }
    return value;
}

static uint64_t mixed(uint64_t x) { /* the finaliser of splitmix64 */
    x ^= x >> 30; x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27; x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hashed(const char *name, double x, double y) {
    uint64_t h = seed(), bits;
    for (; *name; name++) h = mixed(h + (unsigned char)*name);
    memcpy(&bits, &x, 8); h = mixed(h + bits);
    memcpy(&bits, &y, 8);
    return mixed(h + bits);
}

static double moved(double value, long double near, uint64_t hash) {
    if (!isfinite(value) || value == 0 || near == (long double)value) return value;
    switch (hash % 3) {
    case 0: return nextafter(value, INFINITY);
    case 1: return nextafter(value, -INFINITY);
    default: return value;
    }
}

static float movedf(float value, long double near, uint64_t hash) {
    if (!isfinite(value) || value == 0 || near == (long double)value) return value;
    switch (hash % 3) {
    case 0: return nextafterf(value, INFINITY);
    case 1: return nextafterf(value, -INFINITY);
    default: return value;
    }
}

/* A function keeps its exact range, such as |tanh| <= 1, which every library respects. */
static double within(double value, double bound) { return value > bound ? bound : value < -bound ? -bound : value; }

#define ONE(name, bound) \
    double name(double x) { \
        static double (*real)(double); \
        if (!real) real = (double (*)(double))dlsym(RTLD_NEXT, #name); \
        return within(moved(real(x), name##l(x), hashed(#name, x, 0)), bound); \
    } \
    float name##f(float x) { \
        static float (*real)(float); \
        if (!real) real = (float (*)(float))dlsym(RTLD_NEXT, #name "f"); \
        return (float)within(movedf(real(x), name##l(x), hashed(#name "f", x, 0)), bound); \
    }

#define TWO(name) \
    double name(double x, double y) { \
        static double (*real)(double, double); \
        if (!real) real = (double (*)(double, double))dlsym(RTLD_NEXT, #name); \
        return moved(real(x, y), name##l(x, y), hashed(#name, x, y)); \
    } \
    float name##f(float x, float y) { \
        static float (*real)(float, float); \
        if (!real) real = (float (*)(float, float))dlsym(RTLD_NEXT, #name "f"); \
        return movedf(real(x, y), name##l(x, y), hashed(#name "f", x, y)); \
    }

ONE(exp, INFINITY) ONE(exp2, INFINITY) ONE(expm1, INFINITY)
ONE(log, INFINITY) ONE(log2, INFINITY) ONE(log10, INFINITY) ONE(log1p, INFINITY)
ONE(sin, 1) ONE(cos, 1) ONE(tan, INFINITY) ONE(asin, INFINITY) ONE(acos, INFINITY) ONE(atan, INFINITY)
ONE(sinh, INFINITY) ONE(cosh, INFINITY) ONE(tanh, 1) ONE(asinh, INFINITY) ONE(acosh, INFINITY) ONE(atanh, INFINITY)
ONE(cbrt, INFINITY) ONE(erf, 1) ONE(erfc, 2) ONE(tgamma, INFINITY) ONE(lgamma, INFINITY)
TWO(pow) TWO(atan2) TWO(hypot)

void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
