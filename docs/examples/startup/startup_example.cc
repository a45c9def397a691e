// startup_example: about 0.3 s of a start that is slower than it should be.
//
//   before main   slow_registry's static constructor hashes words
//   then          settings are read, each looked up in a list that grows (quadratic)
//   then          the first picture is drawn, by two threads
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "slow_registry.h"

// Kept as functions of their own, so that the profile shows them.
#define NOINLINE __attribute__((noinline))

namespace {

struct Setting {
  std::string key, value;
};
struct SettingList {
  std::vector<Setting> settings;
};
struct SettingsFile {
  std::string text;
};

constexpr int kSettings = 6000;

NOINLINE SettingsFile ReadSettings() {
  SettingsFile file;
  for (int i = 0; i < kSettings; i++) {
    file.text += "window.panel.setting" + std::to_string(i) + " = " + std::to_string(i) + "\n";
  }
  return file;
}

// The mistake: a list is searched from its start for each setting, by comparing strings with a common beginning.
NOINLINE void SetValue(SettingList& list, const Setting& setting) {
  for (Setting& known : list.settings) {
    if (known.key.compare(setting.key) == 0) {
      known.value = setting.value;
      return;
    }
  }
  list.settings.push_back(setting);
}

NOINLINE SettingList ParseSettings(const SettingsFile& file) {
  SettingList list;
  for (int pass = 0; pass < 4; pass++) {
    for (size_t begin = 0; begin < file.text.size();) {
      const size_t end = file.text.find('\n', begin);
      const size_t equals = file.text.find(" = ", begin);
      SetValue(list, {file.text.substr(begin, equals - begin), file.text.substr(equals + 3, end - equals - 3)});
      begin = end + 1;
    }
  }
  return list;
}

NOINLINE double ShadePixel(int x, int y) {
  double shade = 0;
  for (int wave = 1; wave < 24; wave++) shade += std::sin(x * 0.01 * wave) * std::cos(y * 0.013 * wave) / wave;
  return shade;
}

NOINLINE void DrawRows(int first, int last, double& brightness) {
  double sum = 0;
  for (int y = first; y < last; y++) {
    for (int x = 0; x < 1000; x++) sum += ShadePixel(x, y);
  }
  brightness = sum;
}

NOINLINE double DrawFirstPicture() {
  double upper = 0, lower = 0;
  std::thread helper([&lower] { DrawRows(160, 320, lower); });
  DrawRows(0, 160, upper);
  helper.join();
  return upper + lower;
}

}  // namespace

int main() {
  const SettingList list = ParseSettings(ReadSettings());
  const double brightness = DrawFirstPicture();
  printf("ready: %zu words, %zu settings, brightness %.3f\n", RegisteredWords(), list.settings.size(), brightness);
  return 0;
}
