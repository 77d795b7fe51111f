/* Runs a program on a pseudo terminal as a person would: pty_run PROGRAM
 * [ARGUMENTS] < STEPS. A step is a line:
 *   send TEXT    types it
 *   wait TEXT    until the output since the last wait has it
 *   sleep MS
 *   exit         until the program has ended
 * TEXT understands \n (the Enter key), \t \e \\ and \xHH.
 * All output goes to stdout. The exit status is the program's, or 100 when a
 * wait took longer than 20 s, or 101 for wrong use. */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000, TIMED_OUT = 100, MISUSED = 101 };

struct session {
  pid_t child;
  int terminal;
  char *output; /* owned; all so far, zero-terminated */
  size_t length, room;
  size_t seen; /* where the next wait begins */
  bool ended;
};

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void append(struct session *s, const char *bytes, size_t count) {
  if (s->length + count + 1 > s->room) {
    s->room = 2 * (s->length + count) + 4096;
    s->output = realloc(s->output, s->room);
    if (!s->output)
      exit(MISUSED);
  }
  memcpy(s->output + s->length, bytes, count);
  s->length += count;
  s->output[s->length] = '\0';
}

/* Takes what the program wrote, waiting for it at most that long. */
static void collect(struct session *s, long timeout_ms) {
  struct pollfd ready = {.fd = s->terminal, .events = POLLIN};
  char buffer[4096];
  if (poll(&ready, 1, (int)timeout_ms) <= 0)
    return;
  ssize_t got = read(s->terminal, buffer, sizeof buffer);
  if (got > 0)
    append(s, buffer, (size_t)got);
  else if (got == 0 || errno != EINTR)
    s->ended = true; /* the other end was closed: EIO on Linux */
}

static bool wait_for(struct session *s, const char *text) {
  long until = now_ms() + PATIENCE_MS;
  for (;;) {
    const char *found =
        memmem(s->output + s->seen, s->length - s->seen, text, strlen(text));
    if (found) {
      s->seen = (size_t)(found - s->output) + strlen(text);
      return true;
    }
    long left = until - now_ms();
    if (left <= 0 || s->ended)
      return false;
    collect(s, left);
  }
}

static bool wait_for_end(struct session *s) {
  long until = now_ms() + PATIENCE_MS;
  while (!s->ended && now_ms() < until)
    collect(s, until - now_ms());
  return s->ended;
}

static void pause_for(struct session *s, long ms) {
  long until = now_ms() + ms;
  while (!s->ended && now_ms() < until)
    collect(s, until - now_ms());
}

/* Reads escapes in place; the length of what is left. */
static size_t unescape(char *text) {
  char *out = text;
  for (const char *in = text; *in; in++) {
    unsigned code;
    if (*in != '\\') {
      *out++ = *in;
      continue;
    }
    switch (*++in) {
    case 'n':
      *out++ = '\r'; /* what the Enter key sends */
      break;
    case 't':
      *out++ = '\t';
      break;
    case 'e':
      *out++ = '\033';
      break;
    case 'x':
      if (sscanf(in + 1, "%2x", &code) != 1)
        exit(MISUSED);
      *out++ = (char)code;
      in += 2;
      break;
    default:
      *out++ = *in;
    }
  }
  *out = '\0';
  return (size_t)(out - text);
}

static bool send_text(struct session *s, char *text) {
  size_t count = unescape(text);
  return write(s->terminal, text, count) == (ssize_t)count;
}

static bool step(struct session *s, char *line) {
  line[strcspn(line, "\n")] = '\0';
  if (!strncmp(line, "send ", 5))
    return send_text(s, line + 5);
  if (!strncmp(line, "wait ", 5))
    return unescape(line + 5) && wait_for(s, line + 5);
  if (!strncmp(line, "sleep ", 6))
    return pause_for(s, atol(line + 6)), true;
  if (!strcmp(line, "exit"))
    return wait_for_end(s);
  return *line == '\0';
}

static int finish(struct session *s, bool ok) {
  int status = 0;
  if (!ok || !s->ended)
    kill(s->child, SIGKILL);
  waitpid(s->child, &status, 0);
  close(s->terminal);
  fwrite(s->output, 1, s->length, stdout);
  free(s->output);
  if (!ok)
    return TIMED_OUT;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv) {
  struct winsize size = {.ws_row = 24, .ws_col = 120};
  struct session s = {0};
  char line[4096];
  if (argc < 2)
    return MISUSED;
  s.child = forkpty(&s.terminal, NULL, NULL, &size);
  if (s.child < 0)
    return MISUSED;
  if (s.child == 0) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  append(&s, "", 0);
  bool ok = true;
  while (ok && fgets(line, sizeof line, stdin)) {
    ok = step(&s, line);
    if (!ok)
      fprintf(stderr, "pty_run: failed: %s\n", line);
  }
  return finish(&s, ok);
}
