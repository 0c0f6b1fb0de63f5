#pragma once

namespace ridgeline::bench {

// Reads the file so many times, printing the speed of each; the exit code.
using ReadOften = int (*)(const char* path, int times);

// The main of the programs that are called NAME PATH [TIMES]: usage and errors are a line each.
int read_often_main(int count, char** words, const char* name, ReadOften read_often);

}  // namespace ridgeline::bench
