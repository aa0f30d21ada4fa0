/* Notes which functions of the loaded libraries begin to run: each has a breakpoint (int3) at its first byte until it
   does so for the first time, so that what runs often costs nothing. x86-64 and Linux only. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

static uint64_t *places; /* sorted */
static uint8_t *first;   /* the byte that belongs there */
static uint8_t *ran;
static uint64_t *callers; /* where who called it goes on */
static size_t number;

static void trapped(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  greg_t *at = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
  uint64_t place = (uint64_t)*at - 1;
  size_t low = 0, high = number;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (places[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == number || places[low] != place)
    abort(); /* a breakpoint that is none of ours */
  if (!ran[low])
    callers[low] = *(uint64_t *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
  ran[low] = 1;
  *(volatile uint8_t *)place = first[low];
  *at = (greg_t)place;
}

/* A part of a library that holds its code becomes writable; 0 where that is done. */
int open_code(uint64_t start, uint64_t size) {
  return mprotect((void *)start, size, PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* The places, sorted, that are to be listened to; their memory stays the caller's. */
void set_places(uint64_t *given, size_t count) {
  places = given;
  number = count;
  first = malloc(count);
  ran = malloc(count);
  callers = calloc(count, sizeof *callers);
  for (size_t at = 0; at < count; at++) {
    first[at] = *(uint8_t *)given[at];
    ran[at] = 1; /* none has a breakpoint yet */
  }
  struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
  sigaction(SIGTRAP, &action, NULL);
}

/* Set the breakpoints anew that have been run into. */
void listen(void) {
  for (size_t at = 0; at < number; at++)
    if (ran[at]) {
      ran[at] = 0;
      *(volatile uint8_t *)places[at] = 0xCC;
    }
}

/* The numbers of the places that ran since, and where each was called; says how many. */
size_t what_ran(uint32_t *found, uint64_t *called_at) {
  size_t count = 0;
  for (size_t at = 0; at < number; at++)
    if (ran[at]) {
      called_at[count] = callers[at];
      found[count++] = (uint32_t)at;
    }
  return count;
}
