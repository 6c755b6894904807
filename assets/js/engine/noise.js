// The noise of a drawn decision: uniform numbers as PyTorch draws them on a CPU (MT19937, 53 bits each).

const [SIZE, APART] = [624, 397];

// Numbers in [0, 1) of a seed, one with each call.
export function uniform(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let at = 1; at < SIZE; at += 1) {
    const before = state[at - 1] ^ (state[at - 1] >>> 30);
    state[at] = Math.imul(1812433253, before) + at;
  }
  let next = SIZE;

  function twist() {
    for (let at = 0; at < SIZE; at += 1) {
      const joint = (state[at] & 0x80000000) | (state[(at + 1) % SIZE] & 0x7fffffff);
      state[at] = state[(at + APART) % SIZE] ^ (joint >>> 1) ^ (joint & 1 ? 0x9908b0df : 0);
    }
    next = 0;
  }

  function bits() {
    if (next === SIZE) twist();
    let value = state[next];
    next += 1;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  }

  return () => {
    const [high, low] = [bits() & 0x1fffff, bits()];
    return (high * 2 ** 32 + low) * 2 ** -53;
  };
}
