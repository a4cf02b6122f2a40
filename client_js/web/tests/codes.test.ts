/** Codes in pasted text. */

import { describe, expect, it } from "vitest";
import { isRoomCode, roomCode, signInCode } from "../src/app/codes.ts";

describe("a room code", () => {
  it.each([
    "H7KQ2M4X",
    "H7KQ-2M4X",
    " h7kq2m4x ",
    "h7kq 2m4x",
    "H7KQ\u20132M4X",
    "“H7KQ-2M4X”.",
    "room H7KQ2M4X",
    "Raum: h7kq_2m4x!",
    "(H7KQ.2M4X)",
    "H 7 K Q 2 M 4 X",
    "\u200bH7KQ\u00ad2M4X\u2060",
    "\uff28\uff17\uff2b\uff31\uff12\uff2d\uff14\uff38",
    "http://samedeal.test/r/H7KQ2M4X",
    "samedeal.test/r/h7kq-2m4x.",
    "http://samedeal.test/r/h7kq-2m4x/?from=mail#top",
    "https://elsewhere.test/?to=https%3A%2F%2Fsamedeal.test%2Fr%2FH7KQ2M4X&x=ABCDEFGH",
    "Race me at Robert. http://samedeal.test/r/H7KQ2M4X See you",
    "<https://samedeal.test/r/H7KQ2M4X>",
    // The name has eight letters that codes can have too.
    "Race me at samedeal: H7KQ-2M4X",
    "samedeal.test, H7KQ 2M4X",
    "race: H7KQ-2M4X",
    "http://samedeal.test/watch/H7KQ2M4X/Jk1-_A",
  ])("is found in %j", (typed) => {
    expect(roomCode(typed)).toBe("H7KQ2M4X");
  });

  it.each([
    "",
    "%",
    "hello",
    "H7KQ2M4",
    "H7KQ2M4X5",
    "H7KQ2M4O",
    "https://samedeal.test/",
    "%E0%A4%A",
  ])("is not in %j", (typed) => {
    expect(isRoomCode(roomCode(typed))).toBe(false);
  });
});

describe("a sign-in code", () => {
  it.each([
    "K3MQ7-W2R5T",
    "k3mq7w2r5t",
    "Code: “K3MQ7 W2R5T”",
    "K3MQ7\u2011W2R5T\u200b",
    "https://samedeal.test/account#k3mq7w2r5t",
  ])("is found in %j", (typed) => {
    expect(signInCode(typed)).toBe("k3mq7w2r5t");
  });

  it("may be a recovery code, with letters that look like digits", () => {
    expect(signInCode("my code is OABC-DEFG-HJKM-NPQR-STIL, thanks")).toBe("0abcdefghjkmnpqrst11");
  });

  it.each(["", "hello", "K3MQ7-W2R5", "K3MQ7-W2R5U", "https://samedeal.test/account"])(
    "is not in %j",
    (typed) => {
      expect(signInCode(typed)).toBeNull();
    },
  );
});
