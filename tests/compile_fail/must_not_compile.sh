#!/bin/sh
# must_not_compile.sh COMPILER SOURCE CASE SENTENCE OPTION...: SOURCE compiles with -DCASE, and with -DFAULT too it does not, and the
# message holds SENTENCE. Each OPTION is the compiler's.
set -u
compiler=$1 source=$2 case=$3 sentence=$4
shift 4

if ! good=$("$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror "$@" -D"$case" "$source" 2>&1); then
  echo "the sound twin of $case does not compile:"
  echo "$good"
  exit 1
fi
if bad=$("$compiler" -std=c++20 -fsyntax-only "$@" -D"$case" -DFAULT "$source" 2>&1); then
  echo "$case compiles"
  exit 1
fi
if ! echo "$bad" | grep -qF -- "$sentence"; then
  echo "$case: the message does not hold: $sentence"
  echo "$bad"
  exit 1
fi
