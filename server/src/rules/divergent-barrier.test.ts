import { testRule } from "../testing/rule-tables.ts";
import rule from "./divergent-barrier.ts";

testRule(rule, { clean: {}, found: {} });
