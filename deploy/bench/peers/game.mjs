// The small game of the peers: ten piles of five cards; a top card may go on any other pile.

export function deal() {
  return Array.from({ length: 10 }, (_, pile) =>
    Array.from({ length: 5 }, (_, card) => "A23456789TJQK"[(5 * pile + card) % 13]),
  );
}

export function play(piles, from, to) {
  if (!piles[from].length || from === to || to >= piles.length) {
    throw new Error("That is not a legal move here.");
  }
  piles[to].push(piles[from].pop());
}

// The nth move of a load, which moves a card to the next pile and back again.
export function move(number) {
  const pile = Math.floor(number / 2) % 9;
  return number % 2 ? [pile + 1, pile] : [pile, pile + 1];
}
