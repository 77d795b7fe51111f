#include "peers.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peer_run(char *const argv[]) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0)
    return -1;
  pid_t child;
  double start = now();
  int failed =
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ||
      posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status;
  if (failed || waitpid(child, &status, 0) != child)
    return -1;
  double seconds = now() - start;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? seconds : -1;
}
