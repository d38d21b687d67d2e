// Ends what is compiled for one set of instructions.
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
