/** Entry of the report worker; see reporter.ts for its other end. */
import { expose } from 'comlink';

import { ReportService } from './report_service.js';

expose(new ReportService());
