// What reading a job file carries along: the catalogue, where in the file we are, and the first error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/models/model_resolver.h"
#include "input/text/tree.h"

namespace gpuplan {

class Reader {
 public:
  /// All arguments must outlive the reader.
  Reader(const Catalogue& known, const ModelResolver& resolver, const std::string& file_name)
      : catalogue(known), models(resolver), file(file_name) {}

  const Catalogue& catalogue;
  const ModelResolver& models;
  const std::string& file;
  bool exact = false;         ///< figures in reach are exact, not +-20 %
  const Tree* map = nullptr;  ///< the record being read, for messages that look at what stands beside a key

  /// A step of the address while it lives: a key or a position.
  class Scope {
   public:
    Scope(Reader& reader, std::string_view name) : reader_(reader) { reader.path_.push_back({name, 0}); }
    Scope(Reader& reader, std::size_t index) : reader_(reader) { reader.path_.push_back({{}, index}); }
    ~Scope() { reader_.path_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    /// Calls the item by its name from here on (phases.train, not phases[1]), if it has one. The name must outlive
    /// the scope.
    void rename_to(std::string_view name) { reader_.path_.back().name = name; }

   private:
    Reader& reader_;
  };

  /// The folder of the file, for paths written in it; "" for the working folder.
  std::string_view folder() const;

  /// Keeps the first error, "address: message" at the place of the tree ("--tokens: message" for what a flag said).
  /// Always false.
  bool fail(const Tree& at, std::string_view message);
  /// The same at the place of the key under which the tree lies.
  bool fail_at_key(const Tree& at, std::string_view message);

  /// "phases.train.train.epochs", "market.offers[2].price"; "" at the top.
  std::string address() const;
  std::unexpected<Error> error() const { return std::unexpected(error_); }

 private:
  struct Step {
    std::string_view name;  ///< empty: a position
    std::size_t index = 0;
  };
  bool keep(const Tree& at, std::string_view message, int line, int column);

  std::vector<Step> path_;
  Error error_;
};

}  // namespace gpuplan
