// Stands in for libFuzzer: feeds a fuzz target random inputs of growing size from a fixed seed, and the files named as
// arguments.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
  constexpr int kInputs = 4000;
  std::mt19937 random(20240229);
  for (int i = 0; i < kInputs; ++i) {
    std::vector<uint8_t> bytes(random() % static_cast<unsigned>(i + 16));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  return 0;
}
