// The tags of an XML text, one after the other: as much of XML as office documents have.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

class XmlTags {
 public:
  enum class Kind { kOpen, kClose, kText, kEnd };

  explicit XmlTags(std::string_view text) : rest_(text) {}

  /// The next tag or text. An element without content gives kOpen and then kClose.
  Kind next();
  /// Of kOpen and kClose, without the prefix of its namespace.
  std::string_view name() const { return name_; }
  /// Of kText, with entities put in.
  std::string text() const;
  /// Of kOpen: an attribute by its name without prefix, with entities put in; empty: there is none.
  std::string attribute(std::string_view name) const;
  /// The text ends within a tag.
  bool cut_off() const { return cut_off_; }

 private:
  std::string_view rest_, name_, inside_;
  bool closes_ = false;   ///< the element that was opened has no content
  bool literal_ = false;  ///< text without entities
  bool cut_off_ = false;
};

}  // namespace gpuplan
