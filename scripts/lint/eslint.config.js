// Uses the strict, type-checked rules of typescript-eslint. Prettier checks the layout.
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../..', import.meta.url));

export default tseslint.config(
  { ignores: ['**/*.generated.ts', 'dist/', 'build/', 'test-results/'] },
  {
    files: ['src/**/*.{ts,tsx}', 'tests/**/*.{ts,tsx}', 'vite.config.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: root } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      // Functions in options objects are declared in method shorthand (`f(): void`). This rule would complain
      // wherever such a function is destructured and used as a plain value.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      'no-restricted-globals': ['error', 'event', 'name'],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // The return types of components, and of helpers in tests, are obvious.
    files: ['tests/**/*.ts', 'src/**/*.tsx'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // Only src/rtc and src/inject may use a peer connection.
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/rtc/**', 'src/inject/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Identifier[name=/^(RTCPeerConnection|RTCRtpSender|RTCRtpReceiver|RTCRtpTransceiver)$/]',
          message: 'Only src/rtc and src/inject touch peer connections.',
        },
      ],
    },
  },
);
