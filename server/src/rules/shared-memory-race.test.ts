import { testRule } from "../testing/rule-tables.ts";
import rule from "./shared-memory-race.ts";

testRule(rule, { clean: {}, found: {} });
