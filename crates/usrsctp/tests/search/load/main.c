/* SEED: pairs talk in time that the program passes; SEED threads: in real time, by threads. */
#include "load.h"

static struct talker talkers[MOST_PAIRS][2];
static long pairs;

static void print_nothing(const char *format, ...) { (void)format; }

static void prepare(long most_pairs, long most_messages, int meddles) {
  pairs = 1 + below(most_pairs);
  for (long pair = 0; pair < pairs; pair++) {
    for (long side = 0; side < 2; side++) {
      talkers[pair][side] = (struct talker){.pair = pair, .side = side, .peer = &talkers[pair][!side],
                                            .calls_back = below(2) == 0, .is_busy_inside = meddles && below(2), .wanted = below(most_messages)};
      usrsctp_register_address(end_of(pair, side));
    }
    for (long side = 0; side < 2; side++) open_talker(&talkers[pair][side]);
  }
}

static int all_done(void) {
  for (long pair = 0; pair < pairs; pair++)
    if (!is_done(&talkers[pair][0]) || !is_done(&talkers[pair][1])) return 0;
  return 1;
}

static void tick(void) {
  usrsctp_handle_timers(10);
  deliver_until(now() + 10);
}

static void in_passed_time(void) {
  long patience = 500000;
  while (!all_done()) {
    if (patience-- == 0) {
      for (long pair = 0; pair < pairs; pair++)
        for (long side = 0; side < 2; side++) {
          struct talker *it = &talkers[pair][side];
          printf("pair %ld side %ld: sent %ld of %ld, came %ld, may miss %ld\n", pair, side, it->sent, it->wanted, it->came, it->missing);
        }
      FAULT("it stands still");
    }
    for (long pair = 0; pair < pairs; pair++)
      for (long side = 0; side < 2; side++)
        if (below(3) == 0) step_talker(&talkers[pair][side]);
    tick();
  }
  for (long pair = 0; pair < pairs; pair++) {
    close_talker(&talkers[pair][below(2)]);
    for (int i = 0; i < 50; i++) tick();
  }
  for (long pair = 0; pair < pairs; pair++)
    for (long side = 0; side < 2; side++)
      if (!talkers[pair][side].is_closed) close_talker(&talkers[pair][side]);
  for (long pair = 0; pair < pairs; pair++)
    for (long side = 0; side < 2; side++) usrsctp_deregister_address(end_of(pair, side));
}

static void *talk(void *pair) {
  struct talker *ends = pair;
  for (long patience = 400000; !is_done(&ends[0]) || !is_done(&ends[1]); patience--) {
    if (patience == 0) FAULT("it stands still");
    if (!(step_talker(&ends[0]) | step_talker(&ends[1]))) usleep(100);
  }
  close_talker(&ends[0]);
  close_talker(&ends[1]);
  return NULL;
}

static void in_real_time(void) {
  pthread_t threads[MOST_PAIRS];
  start_carrier();
  for (long pair = 0; pair < pairs; pair++) pthread_create(&threads[pair], NULL, talk, talkers[pair]);
  for (long pair = 0; pair < pairs; pair++) pthread_join(threads[pair], NULL);
}

int main(int count, char **words) {
  int threads = count > 2 && !strcmp(words[2], "threads");
  alarm(60);
  seed_with(strtoull(words[1], NULL, 10));
  if (threads) usrsctp_init(0, carry, print_nothing);
  else usrsctp_init_nothreads(0, carry, print_nothing);
  usrsctp_sysctl_set_sctp_rto_min_default(threads ? 20 : 1000);
  usrsctp_sysctl_set_sctp_rto_initial_default(threads ? 50 : 3000);
  usrsctp_sysctl_set_sctp_init_rtx_max_default(50);
  usrsctp_sysctl_set_sctp_assoc_rtx_max_default(100);
  long losses[] = {0, 0, 1, 5, 20}, delays[] = {0, 5, 50, 300};
  set_quality((struct link_quality){threads ? losses[below(4)] : losses[below(5)], below(2) * 5, threads ? delays[below(2)] : delays[below(4)]});
  prepare(threads ? 32 : 4, threads ? 60 : 120, getenv("MEDDLE") != NULL);
  if (threads) in_real_time();
  else in_passed_time();
  long left = 3000;
  while (usrsctp_finish() && left-- > 0) {
    if (threads) usleep(10000);
    else {
      /* Peers that cannot be reached any more are asked a hundred times. */
      usrsctp_handle_timers(5000);
      deliver_until(now() + 5000);
    }
  }
  if (threads) stop_carrier();
  if (usrsctp_finish()) FAULT("it does not end");
  printf("well\n");
  return 0;
}
