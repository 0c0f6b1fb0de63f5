#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/pickle_context.h"
#include "data/pickle_cursor.h"
#include "data/pickle_graph.h"
#include "data/pickle_opcode.h"
#include "data/pickle_stack.h"
#include "data/pickle_text.h"

namespace ridgeline {
namespace {

constexpr int kNewestProtocol = 5;

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const PickleOptions& options)
      : options_(options), cursor_(bytes, options.source), stack_(cursor_, graph_) {
    graph_.bytes = bytes;
  }

  PickleGraph run() {
    while (!stopped_) step(static_cast<Opcode>(cursor_.next_opcode()));
    return std::move(graph_);
  }

 private:
  [[nodiscard]] Error refusal(std::string_view what) const { return cursor_.refusal(what); }

  std::uint64_t decimal(std::string_view digits) const {
    std::uint64_t value = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || stop != digits.data() + digits.size()) {
      throw refusal(fmt::format("{} is no memo number", in_quotes(digits)));
    }
    return value;
  }

  void push_integer_line(std::string_view digits) {
    if (digits == "00" || digits == "01") return stack_.push(digits == "01");  // protocol 0's bool
    if (digits.ends_with('L')) digits.remove_suffix(1);
    std::int64_t value = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range) throw refusal("a number beyond 64 bits");
    if (code != std::errc{} || stop != digits.data() + digits.size()) {
      throw refusal(fmt::format("{} is no number", in_quotes(digits)));
    }
    stack_.push(value);
  }

  void push_long(std::uint64_t size) {
    const auto raw = cursor_.take(size);
    std::uint64_t value = 0;
    if (raw.size() > sizeof value) throw refusal("a number beyond 64 bits");
    for (std::size_t i = 0; i < raw.size(); ++i) {
      value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    }
    // Two's complement of any length: the top bit is carried on.
    if (!raw.empty() && raw.size() < sizeof value &&
        (raw.back() & std::byte{0x80}) != std::byte{0}) {
      value |= ~std::uint64_t{0} << (8 * raw.size());
    }
    stack_.push(static_cast<std::int64_t>(value));
  }

  void push_float_line(std::string_view digits) {
    double value = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc{} || stop != digits.data() + digits.size()) {
      throw refusal(fmt::format("{} is no number", in_quotes(digits)));
    }
    stack_.push(value);
  }

  void push_bytes(std::string_view value) { stack_.push(PickleText{.text = value}); }

  void push_text(std::string_view value) {
    if (!is_utf8(value)) throw refusal("text that is not UTF-8");
    push_bytes(value);
  }

  void push_decoded(std::optional<std::string> decoded) {
    if (!decoded) throw refusal("text with a broken escape");
    stack_.push(PickleText{.text = graph_.texts.emplace_back(std::move(*decoded))});
  }

  std::string_view text_of(Ref ref) const {
    const auto* const held = std::get_if<PickleText>(&graph_.nodes[ref].held);
    if (held == nullptr) throw refusal("a global whose name is no text");
    return held->text;
  }

  void push_global(std::string_view module, std::string_view name) {
    constexpr std::size_t kLongest = 1000;
    if (module.size() > kLongest || name.size() > kLongest)
      throw refusal("a global's name too long");
    // Names on the stack may be mentioned again and again.
    PickleContext{.options = options_, .offset = cursor_.opcode_at()}.spend_bytes(
        graph_, module.size() + 1 + name.size());
    stack_.push(PickleGlobal{.name = fmt::format("{}.{}", module, name)});
  }

  void reduce() {
    const Ref arguments = stack_.pop();
    const Ref callable = stack_.pop();
    const auto* const tuple = std::get_if<PickleSequence>(&graph_.nodes[arguments].held);
    const auto* const global = std::get_if<PickleGlobal>(&graph_.nodes[callable].held);
    if (global == nullptr) throw refusal("the pickle calls what is no global");
    if (tuple == nullptr || !tuple->is_tuple) throw refusal("the pickle calls without arguments");
    // The longest list of arguments that is known has nine. Copies: making the result may move the
    // nodes.
    if (tuple->items.size() > 16) throw refusal("the pickle calls with too many arguments");
    const std::string name = global->name;
    const std::vector<Ref> items = tuple->items;
    stack_.push(reduce_pickle(graph_, name, items, options_, cursor_.opcode_at()).held);
  }

  // Of the classes of programs, such as a model that was saved whole.
  [[nodiscard]] Error refused_object(Opcode opcode) {
    for (int arguments = opcode == Opcode::NewObjectEx ? 2 : 1; arguments > 0; --arguments)
      (void)stack_.pop();
    const Ref callable = stack_.pop();
    const auto* const global = std::get_if<PickleGlobal>(&graph_.nodes[callable].held);
    const std::string name = global == nullptr ? "no name" : global->name;
    const bool whole = stack_.is_empty();
    return refusal(fmt::format(
        "{} of the class {}, which is code and not data; if you trust the file, keep the weights "
        "alone in Python: torch.save(torch.load(FILE, weights_only=False){}, FILE)",
        whole ? "an object" : "in it an object", in_quotes(name),
        whole ? ".state_dict()" : "['model']"));
  }

  bool step_constants(Opcode opcode);
  bool step_texts(Opcode opcode);
  bool step_containers(Opcode opcode);
  bool step_memo(Opcode opcode);
  void step(Opcode opcode);
  void protocol();

  const PickleOptions& options_;
  PickleCursor cursor_;
  PickleGraph graph_;
  PickleStack stack_;
  bool stopped_ = false;
};

bool Machine::step_constants(Opcode opcode) {
  switch (opcode) {
    case Opcode::None:
      stack_.push(PickleNone{});
      return true;
    case Opcode::NewTrue:
      stack_.push(true);
      return true;
    case Opcode::NewFalse:
      stack_.push(false);
      return true;
    case Opcode::Int:
    case Opcode::Long:
      push_integer_line(cursor_.line());
      return true;
    case Opcode::BinInt:
      stack_.push(std::int64_t{cursor_.number<std::int32_t>()});
      return true;
    case Opcode::BinInt1:
      stack_.push(std::int64_t{cursor_.number<std::uint8_t>()});
      return true;
    case Opcode::BinInt2:
      stack_.push(std::int64_t{cursor_.number<std::uint16_t>()});
      return true;
    case Opcode::Long1:
      push_long(cursor_.number<std::uint8_t>());
      return true;
    case Opcode::Long4:
      push_long(cursor_.number<std::uint32_t>());
      return true;
    case Opcode::Float:
      push_float_line(cursor_.line());
      return true;
    case Opcode::BinFloat:
      stack_.push(std::bit_cast<double>(__builtin_bswap64(cursor_.number<std::uint64_t>())));
      return true;
    default:
      return false;
  }
}

bool Machine::step_texts(Opcode opcode) {
  switch (opcode) {
    case Opcode::String:
      push_decoded(unescape_string(cursor_.line()));
      return true;
    case Opcode::Unicode:
      push_decoded(unescape_unicode(cursor_.line()));
      return true;
    case Opcode::ShortBinString:
    case Opcode::ShortBinBytes:
      push_bytes(cursor_.text(cursor_.number<std::uint8_t>()));
      return true;
    case Opcode::BinString:
    case Opcode::BinBytes:
      push_bytes(cursor_.text(cursor_.number<std::uint32_t>()));
      return true;
    case Opcode::BinBytes8:
    case Opcode::ByteArray8:
      push_bytes(cursor_.text(cursor_.number<std::uint64_t>()));
      return true;
    case Opcode::ShortBinUnicode:
      push_text(cursor_.text(cursor_.number<std::uint8_t>()));
      return true;
    case Opcode::BinUnicode:
      push_text(cursor_.text(cursor_.number<std::uint32_t>()));
      return true;
    case Opcode::BinUnicode8:
      push_text(cursor_.text(cursor_.number<std::uint64_t>()));
      return true;
    default:
      return false;
  }
}

bool Machine::step_containers(Opcode opcode) {
  switch (opcode) {
    case Opcode::EmptyTuple:
      stack_.push_tuple(0);
      return true;
    case Opcode::Tuple1:
      stack_.push_tuple(1);
      return true;
    case Opcode::Tuple2:
      stack_.push_tuple(2);
      return true;
    case Opcode::Tuple3:
      stack_.push_tuple(3);
      return true;
    case Opcode::Tuple:
      stack_.push(PickleSequence{.items = stack_.pop_to_mark(), .is_tuple = true});
      return true;
    case Opcode::EmptyList:
      stack_.push(PickleSequence{});
      return true;
    case Opcode::MakeList:
      stack_.push(PickleSequence{.items = stack_.pop_to_mark(), .is_tuple = false});
      return true;
    case Opcode::Append:
      stack_.append({stack_.pop()});
      return true;
    case Opcode::Appends:
      stack_.append(stack_.pop_to_mark());
      return true;
    case Opcode::EmptyDict:
      stack_.push(PickleDict{});
      return true;
    case Opcode::MakeDict: {
      PickleDict dict;
      stack_.set_items(dict, stack_.pop_to_mark());
      stack_.push(std::move(dict));
      return true;
    }
    case Opcode::SetItem: {
      const Ref value = stack_.pop();
      const Ref key = stack_.pop();
      stack_.set_items({key, value});
      return true;
    }
    case Opcode::SetItems:
      stack_.set_items(stack_.pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool Machine::step_memo(Opcode opcode) {
  switch (opcode) {
    case Opcode::Put:
      stack_.remember(decimal(cursor_.line()));
      return true;
    case Opcode::BinPut:
      stack_.remember(cursor_.number<std::uint8_t>());
      return true;
    case Opcode::LongBinPut:
      stack_.remember(cursor_.number<std::uint32_t>());
      return true;
    case Opcode::Memoize:
      stack_.remember_next();
      return true;
    case Opcode::Get:
      stack_.recall(decimal(cursor_.line()));
      return true;
    case Opcode::BinGet:
      stack_.recall(cursor_.number<std::uint8_t>());
      return true;
    case Opcode::LongBinGet:
      stack_.recall(cursor_.number<std::uint32_t>());
      return true;
    case Opcode::Dup:
      stack_.push_again(stack_.top());
      return true;
    case Opcode::Pop:
      (void)stack_.pop();
      return true;
    case Opcode::PopMark:
      (void)stack_.pop_to_mark();
      return true;
    default:
      return false;
  }
}

void Machine::protocol() {
  const int version = cursor_.number<std::uint8_t>();
  if (version > kNewestProtocol) {
    throw refusal(
        fmt::format("pickle protocol {}; those up to {} are read", version, kNewestProtocol));
  }
}

void Machine::step(Opcode opcode) {
  if (step_constants(opcode) || step_texts(opcode) || step_containers(opcode) ||
      step_memo(opcode)) {
    return;
  }
  switch (opcode) {
    case Opcode::Proto:
      return protocol();
    case Opcode::Frame:
      (void)cursor_.take(sizeof(std::uint64_t));
      return;  // a hint for streams
    case Opcode::Mark:
      stack_.mark();
      return;
    case Opcode::Stop:
      graph_.root = stack_.pop();
      stopped_ = true;
      return;
    case Opcode::Global: {
      const std::string_view module = cursor_.line();
      return push_global(module, cursor_.line());
    }
    case Opcode::StackGlobal: {
      const std::string_view name = text_of(stack_.pop());
      return push_global(text_of(stack_.pop()), name);
    }
    case Opcode::Reduce:
      return reduce();
    case Opcode::NewObject:
    case Opcode::NewObjectEx:
      throw refused_object(opcode);
    case Opcode::Build: {
      const Ref state = stack_.pop();
      return build_pickle(graph_, stack_.top(), state, options_, cursor_.opcode_at());
    }
    case Opcode::BinPersId:
      return stack_.push(resolve_storage(graph_, stack_.pop(), options_, cursor_.opcode_at()).held);
    default:
      throw refusal(fmt::format("the opcode 0x{:02x}, which this reader does not take",
                                static_cast<unsigned>(opcode)));
  }
}

}  // namespace

PickleGraph run_pickle(std::span<const std::byte> bytes, const PickleOptions& options) {
  return Machine(bytes, options).run();
}

}  // namespace ridgeline
