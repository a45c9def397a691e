// A program that does nothing, to be linked in unusual ways.
int main(void) { return 0; }
