import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

/** `BACKTAPE_LINT_RULES=few` (.ci/run by day, of src): the rules that need no types, in a tenth of the time. */
const hasFewRules = process.env['BACKTAPE_LINT_RULES'] === 'few'

export default defineConfig(
  { ignores: ['dist', 'lib', 'site', 'out', 'coverage', 'node_modules', '.cache', 'assembly', '**/*.js', '**/*.mjs'] },
  tseslint.configs.strictTypeChecked,
  {
    // The program of the tests has the sources too: that of tsconfig.json would check them a second time.
    languageOptions: { parserOptions: { project: ['./tsconfig.test.json', './tsconfig.page.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Arrow's classes override Symbol.hasInstance, which this rule misreads.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Numbers, bigints and booleans print without doubt; the rule is there for objects and undefined.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // What a worker or a source failed with is kept as it came, and thrown again.
      '@typescript-eslint/only-throw-error': 'off',
      // Packages declare functions as methods.
      '@typescript-eslint/unbound-method': 'off',
      // The compiler does not see that a field changes during an await, and so calls the second look unnecessary.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `void argument` says that a parameter is there for the interface alone.
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // Arrow shorthand around a call that returns nothing is fine; the value is not used by mistake.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none' }],
      // `void | undefined` is what a callback returns: void alone takes every value.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // An async function that awaits nothing is often an interface kept.
      '@typescript-eslint/require-await': 'off',
    },
  },
  hasFewRules ? tseslint.configs.disableTypeChecked : {},
  { files: ['**/*.d.ts'], rules: { '@typescript-eslint/no-extraneous-class': 'off' } },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
)
