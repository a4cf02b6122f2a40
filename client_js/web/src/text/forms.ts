/** The word forms that messages select, by the rules of a language. */

/** Messages by `=` and an exact number, or by a plural category. */
type Cases = Readonly<Record<string, string>> & { readonly other: string };

/** Returns the message for a count; `offset` is subtracted from it before choosing the category. */
type Choose = (count: number, cases: Cases, offset?: number) => string;

export interface Forms {
  readonly plural: Choose;
  readonly ordinal: Choose;
  /** A list of names, such as "Ada and Grace". */
  readonly list: (names: readonly string[]) => string;
}

/** Return the forms of a language, such as `en`. */
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
