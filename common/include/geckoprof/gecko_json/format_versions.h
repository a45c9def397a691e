#ifndef GECKOPROF_GECKO_JSON_FORMAT_VERSIONS_H_
#define GECKOPROF_GECKO_JSON_FORMAT_VERSIONS_H_

namespace geckoprof {

// GeckoVersion has the versions of the raw Gecko format (meta.version) that make a difference to us.
struct GeckoVersion {
  static constexpr int kFlatCounters = 29;  // before, the samples of a counter lay one level deeper
  // The oldest version that has everything we write. Firefox 153 writes it.
  static constexpr int kWritten = 34;
  static constexpr int kNewest = 36;  // the newest that is read
};

// ProcessedVersion has the versions of the processed format (meta.preprocessedProfileVersion) that make a difference.
struct ProcessedVersion {
  static constexpr int kOldestChecked = 46;  // earlier changes are not described anywhere
  static constexpr int kTextPids = 47;
  static constexpr int kSchemaFields = 55;  // marker schemas have "fields", not "data"
  static constexpr int kSharedStrings = 56;
  static constexpr int kSourcesTable = 58;
  static constexpr int kSharedTables = 60;  // before, each thread had its own
  static constexpr int kSourcePositions = 61;
  static constexpr int kCounterDisplay = 62;
  static constexpr int kCounterTooltips = 63;
  // The oldest version that has everything we write. Older viewers read it, and newer ones upgrade it.
  static constexpr int kWritten = 63;
  static constexpr int kOriginalLocations = 64;  // places in generated code have a table
  static constexpr int kPrefixOffsets = 66;
  static constexpr int kFrameLibs = 70;
  static constexpr int kNewest = 70;  // the newest that is read
};

}  // namespace geckoprof

#endif  // GECKOPROF_GECKO_JSON_FORMAT_VERSIONS_H_
