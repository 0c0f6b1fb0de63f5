#include "report/findings_json.h"

#include <nlohmann/json.hpp>

#include "core/utf8.h"
#include "trace/findings.h"

namespace ridgeline {

using nlohmann::json;

json findings_json(const ProfileFacts& facts) {
  json list = json::array();
  for (const Finding& finding : findings_of(facts))
    list.push_back({{"id", finding.id}, {"text", with_valid_utf8(finding.text)}});
  return list;
}

json targets_json(const ProfileFacts& facts) {
  json list = json::array();
  for (const Target& target : targets_of(facts)) {
    json object{{"lever", target.lever}, {"text", with_valid_utf8(target.text)}};
    if (target.gain > 0) object["time_gain"] = target.gain;
    if (target.memory_gain > 0) object["memory_gain"] = target.memory_gain;
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace ridgeline
