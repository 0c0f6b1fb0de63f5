#include "report/json_schema.h"

#include <algorithm>
#include <set>

#include "core/error.h"

namespace ridgeline::testing {

namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  throw Error(Fault::Internal, "unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& value, const Json& schema, const std::string& at) {
    static const std::set<std::string> kNotes{"$schema", "$id", "$defs", "title", "description"};
    for (const auto& [word, rule] : schema.items()) {
      if (!kNotes.contains(word)) check_word(value, word, rule, schema, at);
    }
  }

  std::vector<std::string> faults;

 private:
  void require(bool fits, const std::string& at, const std::string& what) {
    if (!fits) faults.push_back(at + ": " + what);
  }

  void check_word(const Json& value, const std::string& word, const Json& rule, const Json& schema,
                  const std::string& at) {
    if (word == "type") {
      require(has_type(value, rule), at, "is not " + rule.dump());
    } else if (word == "$ref") {
      check(value, root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), at);
    } else if (word == "const") {
      require(value == rule, at, "is not " + rule.dump());
    } else if (word == "enum") {
      require(std::ranges::find(rule, value) != rule.end(), at, "is none of " + rule.dump());
    } else if (word == "minimum") {
      require(!value.is_number() || value >= rule, at, "is below " + rule.dump());
    } else if (word == "required") {
      for (const Json& key : rule) {
        require(!value.is_object() || value.contains(key), at, "lacks " + key.dump());
      }
    } else if (word == "properties" || word == "additionalProperties") {
      if (value.is_object()) check_members(value, word, rule, schema, at);
    } else if (word == "items") {
      if (!value.is_array()) return;
      for (std::size_t i = 0; i < value.size(); ++i)
        check(value[i], rule, at + "/" + std::to_string(i));
    } else if (word == "if") {
      Validator condition(root_);
      condition.check(value, rule, at);
      if (condition.faults.empty()) check(value, schema.at("then"), at);
    } else if (word != "then") {
      throw Error(Fault::Internal, "unknown keyword " + word);
    }
  }

  void check_members(const Json& value, const std::string& word, const Json& rule,
                     const Json& schema, const std::string& at) {
    const Json named = schema.value("properties", Json::object());
    for (const auto& [key, member] : value.items()) {
      if (word == "properties" && rule.contains(key)) check(member, rule[key], at + "/" + key);
      if (word == "additionalProperties" && !named.contains(key))
        check(member, rule, at + "/" + key);
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> schema_faults(const Json& value, const Json& schema) {
  Validator validator(schema);
  validator.check(value, schema, "");
  return validator.faults;
}

}  // namespace ridgeline::testing
