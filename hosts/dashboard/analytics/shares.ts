/**
 * Returns each amount's share of their sum in whole percent. The shares add up to 100: the amounts
 * with the largest remainders are rounded up. They are 0 if the sum is.
 */
export function shares(amounts: readonly number[]): number[] {
  const sum = amounts.reduce((a, b) => a + b, 0);
  if (sum <= 0) return amounts.map(() => 0);
  const exact = amounts.map((amount) => (amount * 100) / sum);
  const whole = exact.map(Math.floor);
  const missing = 100 - whole.reduce((a, b) => a + b, 0);
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder.slice(0, missing)) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}
