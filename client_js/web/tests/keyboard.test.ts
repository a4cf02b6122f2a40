/** Shortcuts on the keyboards of other scripts. */

import { expect, it } from "vitest";
import { type KeyMeaning, meaningOf } from "../src/board/keys.ts";
import { pressedKey } from "../src/kit/keyboard.ts";

it.each([
  ["d", "KeyD", "d"],
  ["D", "KeyD", "d"],
  ["?", "Minus", "?"],
  [" ", "Space", " "],
  ["Enter", "Enter", "Enter"],
  ["ArrowLeft", "ArrowLeft", "ArrowLeft"],
  // Cyrillic, Greek, Hebrew, Arabic, Thai (a mark), Korean, Georgian.
  ["в", "KeyD", "d"],
  ["В", "KeyD", "d"],
  ["я", "KeyZ", "z"],
  ["δ", "KeyD", "d"],
  ["ו", "KeyU", "u"],
  ["ي", "KeyD", "d"],
  ["้", "KeyH", "h"],
  ["ㅕ", "KeyU", "u"],
  ["ი", "KeyI", "i"],
  // Latin layouts place their letters differently, and have more of them.
  ["z", "KeyY", "z"],
  ["d", "KeyI", "d"],
  ["à", "KeyZ", "à"],
  ["đ", "KeyD", "đ"],
  ["»", "KeyZ", "»"],
  // In other scripts too, some keys have no letter code, and some events have no code.
  ["х", "BracketLeft", "х"],
  ["в", "", "в"],
])("%s at %s is %s", (key, code, expected) => {
  expect(pressedKey({ key, code })).toBe(expected);
});

it.each<[string, string, boolean, KeyMeaning | undefined]>([
  ["в", "KeyD", false, "deal"],
  ["р", "KeyH", false, "home"],
  ["d", "KeyD", false, "deal"],
  ["в", "KeyD", true, undefined],
])("%s at %s, with Ctrl: %s, means %s on the board", (key, code, ctrlKey, meaning) => {
  const event = { key, code, ctrlKey, metaKey: false, altKey: false } as KeyboardEvent;
  expect(meaningOf(event)).toBe(meaning);
});
