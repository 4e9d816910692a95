//! A comparison as JUnit XML, which continuous integration systems display.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{Comparison, Outcome, right_if_declared};
use refrast_measure::Verdict;

impl Comparison {
    /// One suite with one test a case. Different is a failure, an unreadable file an error; each names the metric that
    /// decided, which may be another from case to case.
    ///
    /// # Errors
    /// What the XML writer says; it does not fail on any text.
    pub fn to_junit(&self) -> Result<String, quick_junit::SerializeError> {
        let mut suite = TestSuite::new("refrast compare");
        for case in &self.cases {
            let (mut summary, mut explained) = (case.summary(), None);
            if let Outcome::Measured { right_if, diagnosis, .. } = &case.outcome {
                right_if.iter().for_each(|options| summary += &format!("; {}", right_if_declared(options)));
                explained = (!diagnosis.is_empty()).then(|| diagnosis.join("\n"));
            }
            let metric = match &case.outcome {
                Outcome::Measured { measurement, .. } => Some(measurement.metric.name()),
                _ => None,
            };
            let non_success = |kind| {
                let mut status = TestCaseStatus::non_success(kind);
                status.set_message(summary.clone());
                if let Some(metric) = metric {
                    status.set_type(metric);
                }
                if let Some(text) = &explained {
                    status.set_description(text.as_str());
                }
                status
            };
            let status = match case.verdict {
                Verdict::Same => TestCaseStatus::success(),
                Verdict::Different => non_success(NonSuccessKind::Failure),
                Verdict::Error => non_success(NonSuccessKind::Error),
            };
            let mut test = TestCase::new(case.name.clone(), status);
            if let Some(metric) = metric {
                test.add_property(("metric", metric));
            }
            test.set_classname(self.golden.display().to_string());
            suite.add_test_case(test);
        }
        let mut report = Report::new("refrast compare");
        report.add_test_suite(suite);
        report.to_string()
    }

    /// The whole result as JSON, indented.
    ///
    /// # Errors
    /// What the JSON writer says; paths that are not Unicode can not be written.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }
}
