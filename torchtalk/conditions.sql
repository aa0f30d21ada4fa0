-- Conditions that statements of several files ask alike: `{never_run:t}` is the one of that name, about the row `t`.

-- name: never_run
-- Does nobody run this test? GoogleTest leaves out what is called DISABLED_, unittest what `@unittest.skip` stands over.
({row}.name GLOB 'DISABLED_*' OR ', ' || coalesce({row}.decorators, '') || ',' GLOB '*, unittest.skip[(,]*')
