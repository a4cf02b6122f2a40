/** Two colours of suits or four, as this browser's player likes it. */

const KEY = "samedeal.deck";

class Deck {
  private chosen = $state(localStorage.getItem(KEY) === "four");

  constructor() {
    this.show();
  }

  get four(): boolean {
    return this.chosen;
  }

  set four(wanted: boolean) {
    this.chosen = wanted;
    localStorage.setItem(KEY, wanted ? "four" : "two");
    this.show();
  }

  private show(): void {
    document.documentElement.dataset["deck"] = this.chosen ? "four" : "two";
  }
}

export const deck = new Deck();
