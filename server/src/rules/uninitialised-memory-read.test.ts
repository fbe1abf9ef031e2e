import { testRule } from "../testing/rule-tables.ts";
import rule from "./uninitialised-memory-read.ts";

testRule(rule, { clean: {}, found: {} });
