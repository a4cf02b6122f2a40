/** The forms of words that messages choose from, by the rules of a language. */

/** Messages by `=` and an exact number, or by a category of plural rules. */
type Cases = Readonly<Record<string, string>> & { readonly other: string };

/** Returns the message for a count; `offset` is taken from it for its category. */
type Choose = (count: number, cases: Cases, offset?: number) => string;

export interface Forms {
  readonly plural: Choose;
  readonly ordinal: Choose;
  /** Names in a row, as in "Ada and Grace". */
  readonly list: (names: readonly string[]) => string;
}

/** The forms of a language, as in `en`. */
export function formsOf(language: string): Forms {
  const choose = (type: "cardinal" | "ordinal"): Choose => {
    const rules = new Intl.PluralRules(language, { type });
    return (count, cases, offset = 0) =>
      cases[`=${count}`] ?? cases[rules.select(count - offset)] ?? cases.other;
  };
  const names = new Intl.ListFormat(language);
  return {
    plural: choose("cardinal"),
    ordinal: choose("ordinal"),
    list: (each) => names.format(each),
  };
}
