#!/bin/sh
# must_not_compile.sh COMPILER STANDARD SOURCE CASE SENTENCE OPTION...: SOURCE compiles with -DCASE. With -DFAULT too it does not, and the
# message holds SENTENCE. STANDARD is a C++ standard, for example c++20. Each OPTION is the compiler's.
set -u
compiler=$1 standard=$2 source=$3 case=$4 sentence=$5
shift 5

if ! good=$("$compiler" -std="$standard" -fsyntax-only -Wall -Wextra -Werror "$@" -D"$case" "$source" 2>&1); then
  echo "the sound twin of $case does not compile:"
  echo "$good"
  exit 1
fi
if bad=$("$compiler" -std="$standard" -fsyntax-only "$@" -D"$case" -DFAULT "$source" 2>&1); then
  echo "$case compiles"
  exit 1
fi
if ! echo "$bad" | grep -qF -- "$sentence"; then
  echo "$case: the message does not hold: $sentence"
  echo "$bad"
  exit 1
fi
