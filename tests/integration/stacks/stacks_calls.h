// The library of stacks_calls_program.
#ifndef GECKOPROF_STACKS_CALLS_H_
#define GECKOPROF_STACKS_CALLS_H_

typedef double Function(double);

double leaf(double x);
double CallBack(Function* function, double x);

#endif  // GECKOPROF_STACKS_CALLS_H_
