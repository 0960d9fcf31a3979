/* Pairs of binary vectors whose Hamming distance is at most `near`, or at least `far`.

   Bit b of the vectors 64 k to 64 k + 63 is the word planes[b * stride + k].  A query is compared with 256 vectors at
   once: its bit is added to each plane over GF(2), and the planes are summed, fifteen at a time, by full adders into
   eight words of carries, whose bit l is the binary digit of the distance of vector l.  There is nothing but logic on
   words, so every processor runs it as wide as its registers are; where the compiler can, it keeps a version for each
   width and chooses when the library is loaded. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define WIDTHS __attribute__((target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define WIDTHS
#endif

#define LANES 4
#define DIGITS 8
#define STEP 15
#define LONGEST 270 /* places, a multiple of STEP; distances above 255 are not asked for */

typedef uint64_t word __attribute__((vector_size(8 * LANES)));

/* two digits of a + b + c */
#define ADD(low, high, a, b, c) \
    do { \
        const word a_ = (a), b_ = (b), c_ = (c), odd = a_ ^ b_; \
        high = (a_ & b_) | (odd & c_); \
        low = odd ^ c_; \
    } while (0)

/* plane b + e, plus the query's bit */
#define PLANE(e) (load(planes + (b + (e)) * stride + k) ^ query[b + (e)])

#define CARRY(digit) over = (digit) & up, (digit) ^= up, up = over

static inline __attribute__((always_inline)) word load(const uint64_t *from)
{
    word made;
    memcpy(&made, from, sizeof made);
    return made;
}

const char *source(void) { return SOURCE; }

WIDTHS
size_t beyond(const uint64_t *planes, size_t stride, size_t places, size_t i0, size_t i1, size_t j0, size_t j1, int near,
              int far, int64_t *rows, int64_t *columns, uint8_t *distances)
{
    size_t found = 0;
    const size_t first = j0 / (64 * LANES) * LANES, last = (j1 + 63) / 64;
    for (size_t i = i0; i < i1; i++) {
        uint64_t query[LONGEST];
        for (size_t b = 0; b < places; b++)
            query[b] = -((planes[b * stride + i / 64] >> (i % 64)) & 1);
        for (size_t k = first; k < last; k += LANES) {
            word d0 = {0}, d1 = d0, d2 = d0, d3 = d0, d4 = d0, d5 = d0, d6 = d0, d7 = d0;
            for (size_t b = 0; b < places; b += STEP) {
                word one[7], two[7], four[3], s, t, up, over; /* 15 bits make one, two, four and eight */
                ADD(s, two[0], PLANE(0), PLANE(1), PLANE(2));
                ADD(t, two[1], PLANE(3), PLANE(4), s);
                ADD(s, two[2], PLANE(5), PLANE(6), t);
                ADD(t, two[3], PLANE(7), PLANE(8), s);
                ADD(s, two[4], PLANE(9), PLANE(10), t);
                ADD(t, two[5], PLANE(11), PLANE(12), s);
                ADD(one[0], two[6], PLANE(13), PLANE(14), t);
                ADD(s, four[0], two[0], two[1], two[2]);
                ADD(t, four[1], two[3], two[4], s);
                ADD(s, four[2], two[5], two[6], t);
                ADD(t, over, four[0], four[1], four[2]);
                up = d0 & one[0], d0 ^= one[0];
                ADD(d1, one[1], d1, s, up);
                ADD(d2, one[2], d2, t, one[1]);
                ADD(d3, up, d3, over, one[2]);
                CARRY(d4);
                CARRY(d5);
                CARRY(d6);
                d7 ^= up;
            }
            const word digit[DIGITS] = {d0, d1, d2, d3, d4, d5, d6, d7};
            word below = {0}, above = {0}, not_far = ~below, not_near = ~below; /* not_: the digits so far are equal */
            for (int e = DIGITS - 1; e >= 0; e--) {
                if (near >> e & 1) {
                    below |= not_near & ~digit[e];
                    not_near &= digit[e];
                } else
                    not_near &= ~digit[e];
                if (far >> e & 1)
                    not_far &= digit[e];
                else {
                    above |= not_far & digit[e];
                    not_far &= ~digit[e];
                }
            }
            word hit = {0};
            if (near >= 0)
                hit |= below | not_near;
            if (far < 1 << DIGITS)
                hit |= above | not_far;
            for (int l = 0; l < LANES; l++)
                for (uint64_t left = hit[l]; left; left &= left - 1) {
                    int place = __builtin_ctzll(left), distance = 0;
                    size_t j = 64 * (k + l) + place;
                    if (j < j0 || j >= j1)
                        continue;
                    for (int e = 0; e < DIGITS; e++)
                        distance |= (int)(digit[e][l] >> place & 1) << e;
                    rows[found] = (int64_t)i;
                    columns[found] = (int64_t)j;
                    distances[found++] = (uint8_t)distance;
                }
        }
    }
    return found;
}
