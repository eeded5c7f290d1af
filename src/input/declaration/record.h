// Codecs of maps with declared keys. See input/declaration/declaration.h.
#pragma once

#include <string_view>

#include "input/declaration/codec.h"

namespace gpuplan {

/// A map of declared keys. `R::check(reader, tree, object)` runs after the keys where it exists.
template <class R>
struct Record {
  static constexpr std::string_view scalar_key = [] {
    if constexpr (requires { R::scalar_key; }) {
      return std::string_view(R::scalar_key);
    } else {
      return std::string_view();
    }
  }();
  static constexpr ValueType type{.kind = ValueType::Kind::kRecord,
                                  .title = R::title,
                                  .keys = R::keys.data(),
                                  .key_count = R::keys.size(),
                                  .scalar_key = scalar_key};
  static bool read(Reader& reader, const Tree& tree, typename R::Object& out, const Bounds&) {
    if (!read_record(reader, tree, &out, type)) return false;
    if constexpr (requires { R::check(reader, tree, out); }) return R::check(reader, tree, out);
    return true;
  }
};

namespace detail {

template <class M>
struct MemberOf;
template <class O, class M>
struct MemberOf<M O::*> {
  using Object = O;
  using Type = M;
};

template <auto First, auto... Rest, class O>
constexpr auto& follow(O& object) {
  if constexpr (sizeof...(Rest) == 0) {
    return object.*First;
  } else {
    return follow<Rest...>(object.*First);
  }
}

}  // namespace detail

/// A key read by this codec into the member at the end of the path.
template <class C, auto First, auto... Rest>
constexpr Key key_as(std::string_view name, std::string_view fallback, std::string_view help, Bounds bounds = {}) {
  using Object = typename detail::MemberOf<decltype(First)>::Object;
  return {name,
          fallback,
          help,
          &C::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds& limits) {
            return C::read(reader, tree, detail::follow<First, Rest...>(*static_cast<Object*>(object)), limits);
          },
          bounds};
}

/// A key whose codec follows from the type of the member.
template <auto Member>
constexpr Key key(std::string_view name, std::string_view fallback, std::string_view help, Bounds bounds = {}) {
  return key_as<Codec<typename detail::MemberOf<decltype(Member)>::Type>, Member>(name, fallback, help, bounds);
}

/// `exact: true` beside figures: they are known, not +-20 %. Read by read_record before the other keys.
constexpr Key exact_key() {
  return {"exact", "false", "treat the numbers here as exact; without it a single number stands for a range of +-20%",
          &Codec<bool>::type, [](Reader&, const Tree&, void*, const Bounds&) { return true; }};
}

}  // namespace gpuplan
