"""Model files, as docs/format.md describes them: trees, forests, rules, schemas and parameters, validated."""
