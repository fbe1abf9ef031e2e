import { testRule } from "../testing/rule-tables.ts";
import rule from "./misaligned-access.ts";

testRule(rule, { clean: {}, found: {} });
