// Logarithms, exponentials and the gamma function, with the same bits on every machine.
//
// A C library's log differs in its last bit from processor to processor, and the last bit of a merit may decide a split. These
// are made of sums, products and shifts alone, which IEEE 754 settles to the last bit, and keep no state that threads would
// share. log, log2 and log10 are correctly rounded but for one argument in 10^10 or so; the others err by at most 0.52 units in
// the last place (exp, exp2, pow), 0.8 (log1p, and log_gamma away from its zeros, 1 and 2) or 2 (expm1).
#pragma once

namespace treewright {

double log(double x);
double log2(double x);
double log10(double x);
/// log(1 + x), exact to the last bits where x is small.
double log1p(double x);
double exp(double x);
/// exp(x) - 1, exact to the last bits where x is small.
double expm1(double x);
double exp2(double x);
/// Of a base that is not negative.
double pow(double base, double exponent);
/// log Γ(x) of x > 0: log((n - 1)!) of a whole number.
double log_gamma(double x);
/// log(Γ(a)·Γ(b) / Γ(a + b)), whose difference loses nothing where a and b are large.
double log_beta(double a, double b);

}  // namespace treewright
