-- What a lambda that is bound to a Python name calls is in the text the function's that binds it. It ends before the
-- next binding, or where the extractor says so because something else comes behind it.
CREATE TEMP TABLE bound_lambdas AS
SELECT file_id, name, function, line,
       coalesce(CASE WHEN next_is_end THEN next ELSE max(next - 1, line) END, 1 << 40) AS stop
FROM (
    SELECT file_id, name, function, line, is_end,
           lead(line) OVER following AS next, lead(is_end) OVER following AS next_is_end
    FROM (
        SELECT file_id, line, python_name AS name, 0 AS is_end,
               CASE WHEN cpp_name GLOB '*::lambda' THEN substr(cpp_name, 1, length(cpp_name) - 8) END AS function
        FROM bindings WHERE form <> 'generated'
        UNION ALL
        SELECT file_id, line, NULL, 1, NULL FROM binding_owners WHERE node = 'lambda'
    )
    WINDOW following AS (PARTITION BY file_id ORDER BY line, is_end)
)
WHERE function IS NOT NULL AND name IS NOT NULL;

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT c.callee_id * 16, n.id * 16 + 6,
       CASE WHEN c.kind = 'candidate' THEN CASE c.origin WHEN 'syntax' THEN 15 WHEN 'macro' THEN 36 ELSE 49 END
            ELSE CASE c.origin WHEN 'syntax' THEN 46 WHEN 'macro' THEN 48 ELSE 47 END END AS how,
       l.file_id, min(c.line), 1
FROM temp.bound_lambdas AS l
CROSS JOIN python_natives AS n ON n.name = l.name
CROSS JOIN functions AS u ON u.name = l.function AND u.file_id = l.file_id
CROSS JOIN calls AS c ON c.caller_id = u.id AND c.line BETWEEN l.line AND l.stop
WHERE c.kind IN ('call', 'virtual', 'candidate')
  AND c.callee_id NOT IN (SELECT function_id FROM boilerplate_functions)
  AND NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id)
GROUP BY c.callee_id, n.id, how, l.file_id
ORDER BY 1, 2, 3;

DROP TABLE temp.bound_lambdas;
