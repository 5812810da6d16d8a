// Runs scripts of calls, each in a process of its own.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_alarm(int number) { (void)number; }

static int script_number(void) { return first_port / 10; }

static int first_port_of(int script) { return 10 * script; }

// Runs the lines of a script, in a process of its own.
static void run_script(char **lines, int count, useconds_t pause) {
  struct sigaction action = {.sa_handler = on_alarm};
  struct itimerval bound = {{0, 0}, {2, 0}};
  signal(SIGPIPE, SIG_IGN);
  sigaction(SIGALRM, &action, NULL);
  for (int at = 0; at < 256; at++) sockets[at] = -1;
  for (int at = 0; at < count; at++) {
    setitimer(ITIMER_REAL, &bound, NULL);
    run_line(lines[at]);
    if (tun < 0) usleep(pause);
    else settle(pause);
    if (watcher >= 0) watch();
  }
  // What it leaves behind ends.
  char *last[] = {"answers", "abort"};
  if (tun >= 0) wish_for(last, 2);
}

// A script that runs.
struct running {
  pid_t child;
  FILE *out;
  char *name;
};

static struct running start_script(char **lines, int count, useconds_t pause, const char *name) {
  struct running one = {.out = tmpfile(), .name = strdup(name)};
  first_port = first_port < 30000 ? first_port + 10 : 2000;
  one.child = fork();
  if (one.child == 0) {
    dup2(fileno(one.out), 1);
    run_script(lines, count, pause);
    fflush(stdout);
    _exit(0);
  }
  return one;
}

// Prints the answers that it got.
static void end_script(struct running *one) {
  char line[16384];
  // A process that a bug keeps from its end must not keep the others from theirs.
  int status = -1;
  for (int turn = 0; turn < 3000 && waitpid(one->child, &status, WNOHANG) == 0; turn++) usleep(10000);
  rewind(one->out);
  while (fgets(line, sizeof line, one->out)) fputs(line, stdout);
  if (status != 0) {
    printf("*** %#x\n", status);
    kill(one->child, SIGKILL);
  }
  puts(one->name);
  fclose(one->out);
  free(one->name);
}

enum { AT_A_TIME = 8 };

static int scripts(useconds_t pause) {
  static char line[16384];
  static char *lines[1000];
  struct running all[AT_A_TIME];
  int count = 0, begun = 0, ended = 0;
  serve_network();
  int most = tun < 0 ? 1 : AT_A_TIME;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\r\n")] = 0;
    if (strncmp(line, "=== ", 4) != 0) {
      if (count < 1000) lines[count++] = strdup(line);
      continue;
    }
    if (begun - ended == most) end_script(&all[ended++ % most]);
    all[begun++ % most] = start_script(lines, count, pause, line);
    while (count > 0) free(lines[--count]);
  }
  while (ended < begun) end_script(&all[ended++ % most]);
  return 0;
}
