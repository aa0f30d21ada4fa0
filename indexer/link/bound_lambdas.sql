-- Lambdas that are bound to Python names, and the functions around them, which the text takes for who calls what they call.

-- One ends before the next binding, also where its class is bound on the same line, or where the extractor says so because
-- something else comes behind it.
CREATE TEMP VIEW bound_lambdas AS
SELECT b.file_id, b.line, b.stop, u.id AS function_id, b.name
FROM (
    SELECT file_id, name, function, line,
           coalesce(CASE WHEN next_is_end THEN next ELSE max(next - 1, line) END, 1 << 40) AS stop
    FROM (
        SELECT file_id, name, function, line, is_end,
               lead(line) OVER following AS next, lead(is_end) OVER following AS next_is_end
        FROM (
            SELECT file_id, line, python_name AS name, 0 AS is_end, id,
                   CASE WHEN cpp_name GLOB '*::lambda' THEN substr(cpp_name, 1, length(cpp_name) - 8) END AS function
            FROM bindings WHERE form <> 'generated'
            UNION ALL
            SELECT file_id, line, NULL, 1, 0, NULL FROM binding_owners WHERE node = 'lambda'
        )
        WINDOW following AS (PARTITION BY file_id ORDER BY line, is_end, id)
    )
    WHERE function IS NOT NULL AND name IS NOT NULL
) AS b
CROSS JOIN functions AS u ON u.name = b.function AND u.file_id = b.file_id;
