#ifndef GECKOPROF_READER_ROW_LIST_H_
#define GECKOPROF_READER_ROW_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <vector>

#include "geckoprof/entries/entry_builder.h"
#include "geckoprof/segment/leb128.h"

namespace geckoprof {

// RowList holds the rows of one thread in the order in which they were added, in a few bytes each.
//
// A recording interleaves the rows of all threads, and every output format groups them by thread. The reader therefore
// has to keep the rows. Plain structs would need several times the memory of the recording itself. A row is encoded
// when it is added, mostly as differences to the row before, and decoded again when a writer walks the list.
//
//   push_back(row) --Codec::Write--> blocks  [ row row row ..... ] [ row row ...   ]     a row never spans two blocks
//   *iterator     <--Codec::Read---
//
// Codec is the state of the encoding. It has:
//   using Row
//   size_t MaxBytes(const Row&)             an upper bound of the encoded size
//   void Write(const Row&, EntryBuilder&)   encodes the next row
//   void Read(Leb128Reader&, Row&)          decodes the next row
//
// Invariants: decoding gives the rows that were added. A reference to an iterator's row ends with the next ++.
// Threads: one at a time. Context: allocates.
template <typename Codec>
class RowList {
 public:
  using Row = typename Codec::Row;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = const Row&;

    reference operator*() const { return row_; }
    pointer operator->() const { return &row_; }
    Iterator& operator++() {
      --left_;
      Advance();
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }

   private:
    friend class RowList;
    Iterator(const RowList* list, size_t left) : next_block_(list->blocks_.data()), left_(left) { Advance(); }

    void Advance() {
      if (left_ == 0) return;
      while (rest_.remaining() == 0) rest_ = Leb128Reader(*next_block_++);
      codec_.Read(rest_, row_);
    }

    const std::vector<uint8_t>* next_block_;
    Leb128Reader rest_{std::span<const uint8_t>()};
    Codec codec_;
    Row row_;
    size_t left_;
  };

  RowList() = default;
  RowList(std::initializer_list<Row> rows) {
    for (const Row& row : rows) push_back(row);
  }

  void push_back(const Row& row) {
    const size_t most_bytes = Codec::MaxBytes(row);
    if (encoded_.size() < most_bytes) encoded_.resize(most_bytes);
    EntryBuilder out{encoded_};
    codec_.Write(row, out);
    const std::span<const uint8_t> bytes = out.bytes();
    if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < bytes.size()) AddBlock(bytes.size());
    blocks_.back().insert(blocks_.back().end(), bytes.begin(), bytes.end());
    ++size_;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return Iterator(this, size_); }
  Iterator end() const { return Iterator(this, 0); }

  // REQUIRES: not empty.
  const Row front() const { return *begin(); }
  // The last row, for codecs that keep it. REQUIRES: not empty.
  const Row& back() const { return codec_.last(); }
  // Decodes the rows up to `index`, so a loop over all rows must use an iterator. REQUIRES: index < size().
  const Row operator[](size_t index) const { return *std::next(begin(), static_cast<std::ptrdiff_t>(index)); }

 private:
  static constexpr size_t kFirstBlockBytes = 256;
  static constexpr size_t kLargestBlockBytes = 64 * 1024;

  // A thread with few rows has small blocks.
  void AddBlock(size_t least_bytes) {
    const size_t next_bytes = blocks_.empty() ? kFirstBlockBytes : 2 * blocks_.back().capacity();
    blocks_.emplace_back();
    blocks_.back().reserve(std::max(least_bytes, std::clamp(next_bytes, kFirstBlockBytes, kLargestBlockBytes)));
  }

  std::vector<std::vector<uint8_t>> blocks_;
  std::vector<uint8_t> encoded_;  // scratch of push_back
  Codec codec_;
  size_t size_ = 0;
};

}  // namespace geckoprof

#endif  // GECKOPROF_READER_ROW_LIST_H_
