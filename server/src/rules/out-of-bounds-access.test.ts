import { testRule } from "../testing/rule-tables.ts";
import rule from "./out-of-bounds-access.ts";

testRule(rule, { clean: {}, found: {} });
