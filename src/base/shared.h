// A value that many owners share until one of them changes it.
#pragma once

#include <memory>
#include <utility>

namespace gpuplan {

/// Reads like a `const T`, copies like a pointer. Several threads may read and copy the same one.
template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}  // NOLINT(google-explicit-constructor)

  const T& operator*() const { return value_ ? *value_ : blank(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }  // NOLINT(google-explicit-constructor)

  /// To change it here alone: copied first where others see it too.
  T& change() {
    if (!value_) value_ = std::make_shared<T>();
    else if (value_.use_count() > 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  static const T& blank() {
    static const T kBlank{};
    return kBlank;
  }

  std::shared_ptr<T> value_;  ///< null: a `T{}`
};

}  // namespace gpuplan
