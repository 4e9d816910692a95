/* refrast_compare GOLDEN.png CANDIDATE.png [ENVELOPE [OPTIONS]]: prints the answer; exit status as `refrast compare`. */
#include <stdio.h>
#include <string.h>

#include "refrast_compare.h"

static int fill(uint32_t input, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  fseek(file, 0, SEEK_END);
  size_t length = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = refrast_input(input, length);
  int filled = bytes && fread(bytes, 1, length, file) == length;
  fclose(file);
  return filled;
}

int main(int count, char **words) {
  if (count < 3 || !fill(REFRAST_GOLDEN, words[1]) || !fill(REFRAST_CANDIDATE, words[2])) {
    fprintf(stderr, "use: %s GOLDEN.png CANDIDATE.png [ENVELOPE [OPTIONS]]\n", words[0]);
    return 2;
  }
  if (count > 3 && *words[3] && !fill(REFRAST_ENVELOPE, words[3])) return 2;
  if (count > 4) memcpy(refrast_input(REFRAST_OPTIONS, strlen(words[4])), words[4], strlen(words[4]));
  int status = refrast_compare();
  fwrite(refrast_output(REFRAST_ANSWER), 1, refrast_output_length(REFRAST_ANSWER), stdout);
  return status;
}
