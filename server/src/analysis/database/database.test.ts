import { Cancelled } from "@warplens/sim-engine";
import { describe, expect, it } from "vitest";
import { Database, type InputKind, type Query, sameMembers } from "./database.ts";

const text: InputKind<string, string> = { name: "text", initial: () => "" };
const words: Query<string, readonly string[]> = {
  name: "words",
  compute: (db, path) => db.get(text, path).split(/\s+/),
  equal: sameMembers,
};
const count: Query<string, number> = { name: "count", compute: (db, path) => db.get(words, path).length };
const total: Query<string, number> = {
  name: "total",
  compute: (db, paths) => paths.split(",").reduce((sum, path) => sum + db.get(count, path), 0),
};

function database(): Database {
  const db = new Database();
  db.set(text, "a", "one two");
  db.set(text, "b", "three");
  expect(db.get(total, "a,b")).toBe(3);
  db.takeCounts();
  return db;
}

const counted = (db: Database) => Object.fromEntries(db.takeCounts());

describe("the database", () => {
  it("computes nothing twice", () => {
    const db = database();
    expect(db.get(total, "a,b")).toBe(3);
    expect(counted(db)).toEqual({});
  });

  it("computes anew what depends on what changed, and that alone", () => {
    const db = database();
    db.set(text, "a", "one two more");
    expect(db.get(total, "a,b")).toBe(4);
    expect(counted(db)).toEqual({ words: 1, count: 1, total: 1 });
  });

  it("stops where an answer comes out equal", () => {
    const db = database();
    db.set(text, "a", "one   two");
    expect(db.get(total, "a,b")).toBe(3);
    expect(counted(db)).toEqual({ words: 1 });
    db.set(text, "a", "uno dos");
    expect(db.get(total, "a,b")).toBe(3);
    expect(counted(db)).toEqual({ words: 1, count: 1 });
  });

  it("takes no notice of an input that is set to what it is", () => {
    const db = database();
    const { revision } = db;
    db.set(text, "a", "one two");
    expect(db.revision).toBe(revision);
  });

  it("forgets what an answer read before and reads no more", () => {
    const db = new Database();
    const either: Query<string, string> = {
      name: "either",
      compute: (each, path) => (each.get(text, path) === "" ? each.get(text, "other") : each.get(text, path)),
    };
    db.set(text, "other", "x");
    expect(db.get(either, "a")).toBe("x");
    db.set(text, "a", "own");
    expect(db.get(either, "a")).toBe("own");
    db.takeCounts();
    db.set(text, "other", "y");
    expect(db.get(either, "a")).toBe("own");
    expect(counted(db)).toEqual({});
  });

  it("computes again after a computation was cancelled", () => {
    const db = database();
    let cancel = true;
    const long: Query<string, number> = {
      name: "long",
      compute: (each, path) => {
        const found = each.get(count, path);
        if (cancel) throw new Cancelled();
        return found;
      },
    };
    expect(() => db.get(long, "a")).toThrow(Cancelled);
    cancel = false;
    expect(db.get(long, "a")).toBe(2);
    cancel = true;
    db.set(text, "a", "one");
    expect(() => db.get(long, "a")).toThrow(Cancelled);
    cancel = false;
    expect(db.get(long, "a")).toBe(1);
  });

  it("does not depend on what is only looked at", () => {
    const db = database();
    const looking: Query<string, number> = { name: "looking", compute: (each, path) => each.peek(count, path) + each.get(count, "b") };
    expect(db.get(looking, "a")).toBe(3);
    db.takeCounts();
    db.set(text, "a", "one");
    expect(db.get(looking, "a")).toBe(3);
    expect(counted(db)).toEqual({});
  });

  it("refuses an input while something is computed", () => {
    const db = database();
    const setting: Query<string, number> = {
      name: "setting",
      compute: (each) => {
        each.set(text, "a", "later");
        return 0;
      },
    };
    expect(() => db.get(setting, "a")).toThrow("an input is set");
  });
});
