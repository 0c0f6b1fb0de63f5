#include "core/curl.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

Origin origin(const std::string& url) { return origin_of(url).value_or(Origin{}); }

TEST(CurlTest, AnOriginIsSchemeHostAndPort) {
  EXPECT_EQ(origin("https://Host.example/a?b#c"), (Origin{"https", "host.example", "443"}));
  EXPECT_EQ(origin("HTTP://host:8080"), (Origin{"http", "host", "8080"}));
  EXPECT_EQ(origin("http://host/a"), origin("http://HOST:80/b"));
  EXPECT_EQ(origin("http://[::1]:3/"), (Origin{"http", "[::1]", "3"}));
}

TEST(CurlTest, WhatDiffersInOneOfThemIsAnotherOrigin) {
  const Origin ours = origin("https://hub.example/");
  for (const char* other :
       {"http://hub.example/", "https://hub.example:444/", "https://hub.example.evil/",
        "https://hub.example@evil/", "https://evil/hub.example", "https://hub.example%2eevil/"}) {
    EXPECT_NE(origin(other), ours) << other;
  }
}

TEST(CurlTest, NoUrlHasNoOrigin) {
  for (const char* url : {"", "no url", "http://", "http://ho st/", "//host/a", "/a", "host"}) {
    EXPECT_FALSE(origin_of(url).has_value()) << url;
  }
}

}  // namespace
}  // namespace ridgeline
