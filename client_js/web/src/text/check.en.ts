/** How a deal is checked, in English. */

export const en = {
  sealed: "✓ A fair deal, sealed before anybody saw a card.",
  button: "Check it",
  intro:
    "Before anybody saw a card, we published the commitment. Only this seed makes it, and the seed makes the deal.",
  deal: "Deal",
  commitment: "Commitment",
  seed: "Seed",
  closed: "The seed is published once nobody can play the deal any more.",
  agrees: "✓ A fair deal: your browser has worked it out, and seed and commitment match.",
  differs: "This does not match: the seed makes another commitment.",
  cards: "The cards as they were dealt",
};
