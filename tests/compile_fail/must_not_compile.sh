#!/bin/sh
# must_not_compile.sh COMPILER INCLUDE_FOLDER SOURCE CASE SENTENCE: SOURCE compiles with -DCASE, and with -DFAULT too it does not, and
# the message holds SENTENCE.
set -u
compiler=$1 folder=$2 source=$3 case=$4 sentence=$5

if ! good=$("$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$folder" -D"$case" "$source" 2>&1); then
  echo "the sound twin of $case does not compile:"
  echo "$good"
  exit 1
fi
if bad=$("$compiler" -std=c++20 -fsyntax-only -I"$folder" -D"$case" -DFAULT "$source" 2>&1); then
  echo "$case compiles"
  exit 1
fi
if ! echo "$bad" | grep -qF -- "$sentence"; then
  echo "$case: the message does not hold: $sentence"
  echo "$bad"
  exit 1
fi
